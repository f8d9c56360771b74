-- AlterTable
ALTER TABLE "component" ADD COLUMN     "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "component_dependency" ADD COLUMN     "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "environment_variable" ADD COLUMN     "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "manifest" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "http_rule" ADD COLUMN     "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "port" ADD COLUMN     "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "tcp_rule" ADD COLUMN     "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "volume" ADD COLUMN     "manifest_id" INTEGER;

-- CreateTable
CREATE TABLE "manifest" (
    "id" SERIAL NOT NULL,
    "application_id" INTEGER NOT NULL,
    "digest" TEXT COLLATE "C" NOT NULL,
    "applied_at" TIMESTAMP(3) NOT NULL,
    "user_id" INTEGER,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "manifest_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "manifest_application_id_key" ON "manifest"("application_id");

-- CreateIndex
CREATE INDEX "manifest_user_id_idx" ON "manifest"("user_id");

-- AddForeignKey
ALTER TABLE "manifest" ADD CONSTRAINT "manifest_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "manifest" ADD CONSTRAINT "manifest_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;
