# n8n-capacity with k6, helm, kubectl and the pinned n8n, which it runs as local processes.
#   make package && docker build -t n8n-capacity .
# "n8n-capacity doctor --fix" installs what it installs on any machine: k6 and helm as official releases, checked by checksum, and n8n
# from npm by its lock file.

FROM node:24-bookworm AS build
ENV N8N_TUNED_CACHE=/opt/n8n-tuned
# An init for the last stage, without dependencies.
RUN apt-get update && apt-get install --yes --no-install-recommends tini
COPY dist/packages/n8n-capacity-*.tgz /tmp/
# Extracted, because npm heeds the shrinkwrap of a package in its own folder and of one from a registry, not that of a file.
RUN mkdir /usr/local/lib/node_modules/n8n-capacity && cd /usr/local/lib/node_modules/n8n-capacity \
  && tar --extract --file /tmp/n8n-capacity-*.tgz --strip-components=1 && npm install --omit=dev --no-audit --no-fund \
  && node capacity/bin/n8n-capacity.js doctor --fix \
  && rm -rf "$N8N_TUNED_CACHE/logs" "$N8N_TUNED_CACHE/locks"

FROM registry.k8s.io/kubectl:v1.35.4 AS kubectl

FROM node:24-bookworm-slim
COPY --from=kubectl /bin/kubectl /usr/local/bin/kubectl
COPY --from=build /usr/bin/tini-static /usr/local/bin/tini
COPY --from=build /opt/n8n-tuned /opt/n8n-tuned
COPY --from=build /usr/local/lib/node_modules/n8n-capacity /usr/local/lib/node_modules/n8n-capacity
RUN ln -s ../lib/node_modules/n8n-capacity/capacity/bin/n8n-capacity.js /usr/local/bin/n8n-capacity \
  && install -d -o 1000 -g 1000 /work
ENV N8N_TUNED_CACHE=/opt/n8n-tuned HOME=/work
WORKDIR /work
USER 1000:1000
ENTRYPOINT ["tini", "--", "n8n-capacity"]
CMD ["--help"]
