-- AlterTable
ALTER TABLE "component" ADD COLUMN "startup_probe" TEXT;
ALTER TABLE "component" ADD COLUMN "readiness_probe" TEXT;
ALTER TABLE "component" ADD COLUMN "liveness_probe" TEXT;
ALTER TABLE "component" ADD COLUMN "checks_ports" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "component" ADD COLUMN "pre_stop_seconds" INTEGER NOT NULL DEFAULT 5;
ALTER TABLE "component" ADD COLUMN "termination_grace_period_seconds" INTEGER NOT NULL DEFAULT 30;
