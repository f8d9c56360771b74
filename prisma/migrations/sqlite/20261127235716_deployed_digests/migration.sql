-- AlterTable
ALTER TABLE "component_release" ADD COLUMN "digest" TEXT;
ALTER TABLE "component_release" ADD COLUMN "resolved_at" DATETIME;

-- AlterTable
ALTER TABLE "deployment" ADD COLUMN "image" TEXT;
ALTER TABLE "deployment" ADD COLUMN "digest" TEXT;
ALTER TABLE "deployment" ADD COLUMN "resolved_at" DATETIME;
ALTER TABLE "deployment" ADD COLUMN "is_pinned" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "deployment" ADD COLUMN "pulls_always" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "job" ADD COLUMN "outcome" TEXT NOT NULL DEFAULT 'changed';

-- AlterTable
ALTER TABLE "job_component" ADD COLUMN "outcome" TEXT NOT NULL DEFAULT 'changed';
ALTER TABLE "job_component" ADD COLUMN "digest" TEXT;
ALTER TABLE "job_component" ADD COLUMN "note" TEXT;
