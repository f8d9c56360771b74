-- CreateTable
CREATE TABLE "registry_credential" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "enterprise_id" TEXT NOT NULL,
    "team_id" TEXT,
    "owner_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "sealed_password" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "registry_credential_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "registry_credential_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "registry_credential_host_owner_id_idx" ON "registry_credential"("host", "owner_id");

-- CreateIndex
CREATE INDEX "registry_credential_team_id_idx" ON "registry_credential"("team_id");

-- CreateIndex
CREATE UNIQUE INDEX "registry_credential_owner_id_host_key" ON "registry_credential"("owner_id", "host");
