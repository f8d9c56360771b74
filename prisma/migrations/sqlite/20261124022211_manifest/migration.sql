-- AlterTable
ALTER TABLE "component" ADD COLUMN "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "component_dependency" ADD COLUMN "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "environment_variable" ADD COLUMN "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "event" ADD COLUMN "manifest" TEXT;

-- AlterTable
ALTER TABLE "http_rule" ADD COLUMN "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "port" ADD COLUMN "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "tcp_rule" ADD COLUMN "manifest_id" INTEGER;

-- AlterTable
ALTER TABLE "volume" ADD COLUMN "manifest_id" INTEGER;

-- CreateTable
CREATE TABLE "manifest" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "application_id" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "applied_at" DATETIME NOT NULL,
    "user_id" INTEGER,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "manifest_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "manifest_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "manifest_application_id_key" ON "manifest"("application_id");

-- CreateIndex
CREATE INDEX "manifest_user_id_idx" ON "manifest"("user_id");
