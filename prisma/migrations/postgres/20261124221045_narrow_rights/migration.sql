-- AlterTable
ALTER TABLE "access_token" ADD COLUMN     "grants" TEXT COLLATE "C",
ADD COLUMN     "service_account_id" TEXT COLLATE "C",
ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "application_id" INTEGER,
ADD COLUMN     "component_id" TEXT COLLATE "C",
ADD COLUMN     "service_account_id" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "idempotency_key" ADD COLUMN     "service_account_id" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "job" ADD COLUMN     "service_account_id" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "membership" ADD COLUMN     "applications" TEXT COLLATE "C",
ADD COLUMN     "role_id" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "role" (
    "id" TEXT COLLATE "C" NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "actions" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "role_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service_account" (
    "id" TEXT COLLATE "C" NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "role" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "service_account_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "role_enterprise_id_name_key" ON "role"("enterprise_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "service_account_team_id_name_key" ON "service_account"("team_id", "name");

-- CreateIndex
CREATE INDEX "access_token_service_account_id_created_at_id_idx" ON "access_token"("service_account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "event_application_id_id_idx" ON "event"("application_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_key_service_account_id_created_at_ms_stored_byt_idx" ON "idempotency_key"("service_account_id", "created_at_ms", "stored_bytes");

-- CreateIndex
CREATE INDEX "membership_role_id_idx" ON "membership"("role_id");

-- AddForeignKey
ALTER TABLE "role" ADD CONSTRAINT "role_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_token" ADD CONSTRAINT "access_token_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "service_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_account" ADD CONSTRAINT "service_account_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_account" ADD CONSTRAINT "service_account_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_role_id_fkey" FOREIGN KEY ("role_id") REFERENCES "role"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
