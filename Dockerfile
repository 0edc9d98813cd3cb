# Latchkey as an image: server, worker, signer and every command. Build it from the root of a clone:
#   docker build -t latchkey .
# The bases are pinned by digest; scripts/update-pins.ts moves them.
# The same sources and bases give the same files: set SOURCE_DATE_EPOCH, and have BuildKit rewrite-timestamp, for the same digest too.
# Nothing is installed when it starts, it runs as nobody's user, and it needs no file system that can be written.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ARG BASE_IMAGE=debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251

FROM ${NODE_IMAGE} AS build
ARG SOURCE_DATE_EPOCH
WORKDIR /latchkey
COPY package.json package-lock.json .npmrc ./
COPY apps/portal/package.json apps/portal/package.json
COPY apps/console apps/console
COPY packages packages
RUN npm ci --omit=dev --ignore-scripts
COPY deploy/image deploy/image
COPY scripts/setup scripts/setup
COPY scripts/*.mjs scripts/
RUN node deploy/image/build-pages.mjs && node deploy/image/leave-out.mjs && npm prune --omit=dev --ignore-scripts \
  && node deploy/image/write-sbom.mjs && node deploy/image/trim.mjs

FROM ${BASE_IMAGE}
RUN echo 'latchkey:x:10001:10001:Latchkey:/var/lib/latchkey:/usr/sbin/nologin' >> /etc/passwd \
  && echo 'latchkey:x:10001:' >> /etc/group \
  && mkdir -p /var/lib/latchkey && chown 10001:10001 /var/lib/latchkey
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /latchkey /latchkey
COPY --chmod=755 deploy/image/latchkey /usr/local/bin/latchkey
# One pool of memory for all threads: each of its own keeps what the start needed.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=1 \
  LATCHKEY_HOST=0.0.0.0 \
  LATCHKEY_DATA_DIR=/var/lib/latchkey \
  LATCHKEY_METRICS_PORT=9464
WORKDIR /latchkey
USER 10001:10001
VOLUME /var/lib/latchkey
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "/latchkey/deploy/image/health.mjs"]
ENTRYPOINT ["latchkey"]
CMD ["server"]
