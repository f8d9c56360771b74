-- AlterTable
ALTER TABLE "event" ADD COLUMN "deploy_hook_id" TEXT;

-- CreateTable
CREATE TABLE "deploy_hook" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "component_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "user_id" INTEGER,
    "service_account_id" TEXT,
    "last_used_at" DATETIME,
    "created_at" DATETIME NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "deploy_hook_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "deploy_hook_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "deploy_hook_component_id_created_at_id_idx" ON "deploy_hook"("component_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "deploy_hook_user_id_idx" ON "deploy_hook"("user_id");
