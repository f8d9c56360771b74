-- AlterTable
ALTER TABLE "component" ADD COLUMN "deploy_deadline_seconds" INTEGER NOT NULL DEFAULT 86400;
