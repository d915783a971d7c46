#!/usr/bin/env bash
# pki.sh: makes a CA, the certificates and the kubeconfigs for one start of the lab (1 s). Keys are elliptic, since RSA takes
# seconds. The kubeconfigs contain the certificates, so that a test needs only one file.
. "$(dirname "$0")/common.sh"
help_for "$0" "$@"
DAYS=365
rm -rf "$ETC/pki"
mkdir -p "$ETC/pki"
cd "$ETC/pki"
umask 077

make_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
make_certificate() { # name, subject, extended key usage, subject alternative names
  make_key "$1"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days $DAYS -out "$1.crt" \
    -extfile <(printf 'keyUsage=digitalSignature\nextendedKeyUsage=%s\n%s\n' "$3" "${4:+subjectAltName=$4}")
}
write_kubeconfig() { # name
  cat >"$ETC/$1.kubeconfig" <<CONFIG
apiVersion: v1
kind: Config
clusters:
  - name: lab
    cluster: {server: "https://$API_IP:6443", certificate-authority-data: $(base64 -w 0 ca.crt)}
users:
  - name: $1
    user: {client-certificate-data: $(base64 -w 0 "$1.crt"), client-key-data: $(base64 -w 0 "$1.key")}
contexts:
  - name: lab
    context: {cluster: lab, user: $1}
current-context: lab
CONFIG
}

make_key ca
openssl req -x509 -new -key ca.key -days $DAYS -subj /CN=lab-ca -out ca.crt
first_service_ip=${SERVICE_CIDR%.0/*}.1
make_certificate apiserver /CN=kube-apiserver serverAuth "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:$API_IP,IP:$first_service_ip"
make_certificate kubelet-server "/CN=$NODE" serverAuth "DNS:$NODE,IP:$NODE_IP"
make_certificate kubelet-server-2 "/CN=$SECOND_NODE" serverAuth "DNS:$SECOND_NODE,IP:$SECOND_IP"
make_certificate front-proxy /CN=front-proxy-client clientAuth
make_certificate admin /O=system:masters/CN=admin clientAuth
make_certificate controller-manager /CN=system:kube-controller-manager clientAuth
make_certificate scheduler /CN=system:kube-scheduler clientAuth
make_certificate proxy /CN=system:kube-proxy clientAuth
make_certificate kubelet "/O=system:nodes/CN=system:node:$NODE" clientAuth
make_certificate kubelet-2 "/O=system:nodes/CN=system:node:$SECOND_NODE" clientAuth
for user in admin controller-manager scheduler proxy kubelet kubelet-2; do write_kubeconfig "$user"; done
make_key service-account
openssl ec -in service-account.key -pubout -out service-account.pub
