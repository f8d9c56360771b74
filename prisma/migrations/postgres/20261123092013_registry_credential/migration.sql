-- CreateTable
CREATE TABLE "registry_credential" (
    "id" SERIAL NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "team_id" TEXT COLLATE "C",
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "host" TEXT COLLATE "C" NOT NULL,
    "username" TEXT COLLATE "C" NOT NULL,
    "sealed_password" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "registry_credential_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "registry_credential_host_owner_id_idx" ON "registry_credential"("host", "owner_id");

-- CreateIndex
CREATE INDEX "registry_credential_team_id_idx" ON "registry_credential"("team_id");

-- CreateIndex
CREATE UNIQUE INDEX "registry_credential_owner_id_host_key" ON "registry_credential"("owner_id", "host");

-- AddForeignKey
ALTER TABLE "registry_credential" ADD CONSTRAINT "registry_credential_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "registry_credential" ADD CONSTRAINT "registry_credential_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
