# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS build
# The compiler is for better-sqlite3, where no prebuilt binary fits.
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# The packages first: this layer stays in the cache until they change.
COPY package.json package-lock.json ./
COPY prisma/prepare.mjs prisma/
RUN npm ci
COPY tsconfig.json ./
COPY prisma prisma
COPY src src
COPY docs/reference.md docs/
COPY schema.graphql ./
RUN npm run generate && npm run build
RUN npm prune --omit=dev --omit=peer

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATABASE_URL=file:/data/trellis.db
# The only place that is written, and only with SQLite: the root file system can be read-only.
RUN install -d -o node -g node /data
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/prisma prisma
COPY package.json LICENSE ./
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Not through npm or a shell: node itself gets SIGTERM.
CMD ["node", "dist/main.js"]
