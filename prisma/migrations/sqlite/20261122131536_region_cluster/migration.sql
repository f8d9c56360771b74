-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_region" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "enterprise_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "websocket_url" TEXT NOT NULL,
    "http_domain" TEXT NOT NULL,
    "tcp_domain" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "scope" TEXT NOT NULL DEFAULT 'private',
    "driver" TEXT NOT NULL DEFAULT 'declared',
    "cluster" TEXT NOT NULL DEFAULT '{}',
    "cpu_cores" REAL NOT NULL DEFAULT 0,
    "memory_mib" INTEGER NOT NULL DEFAULT 0,
    "disk_gib" REAL NOT NULL DEFAULT 0,
    "sealed_token" TEXT,
    "sealed_ca_certificate" TEXT,
    "sealed_client_certificate" TEXT,
    "sealed_client_key" TEXT,
    "created_at" DATETIME NOT NULL,
    "folded" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "region_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_region" ("alias", "cpu_cores", "created_at", "description", "disk_gib", "driver", "enterprise_id", "folded", "http_domain", "id", "memory_mib", "name", "revision", "scope", "sealed_ca_certificate", "sealed_client_certificate", "sealed_client_key", "sealed_token", "status", "tcp_domain", "url", "websocket_url") SELECT "alias", "cpu_cores", "created_at", "description", "disk_gib", "driver", "enterprise_id", "folded", "http_domain", "id", "memory_mib", "name", "revision", "scope", "sealed_ca_certificate", "sealed_client_certificate", "sealed_client_key", "sealed_token", "status", "tcp_domain", "url", "websocket_url" FROM "region";
DROP TABLE "region";
ALTER TABLE "new_region" RENAME TO "region";
CREATE INDEX "region_name_id_idx" ON "region"("name", "id");
CREATE UNIQUE INDEX "region_enterprise_id_name_key" ON "region"("enterprise_id", "name");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
