-- AlterTable
ALTER TABLE "component" ADD COLUMN "pre_deploy_command" TEXT;
ALTER TABLE "component" ADD COLUMN "pre_deploy_timeout_seconds" INTEGER NOT NULL DEFAULT 3600;

-- AlterTable
ALTER TABLE "component_run" ADD COLUMN "job_id" INTEGER;

-- AlterTable
ALTER TABLE "job_component" ADD COLUMN "run_id" TEXT;

-- CreateTable
CREATE TABLE "pending_deploy" (
    "component_id" TEXT NOT NULL PRIMARY KEY,
    "run_id" TEXT,
    "state_before" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "sealed_spec" TEXT NOT NULL,
    "image" TEXT,
    "digest" TEXT,
    "resolved_at" DATETIME,
    "is_pinned" BOOLEAN NOT NULL DEFAULT false,
    "pulls_always" BOOLEAN NOT NULL DEFAULT false,
    "deployed_at" DATETIME NOT NULL,
    CONSTRAINT "pending_deploy_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
