-- AlterTable
ALTER TABLE "component" ADD COLUMN     "checks_ports" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "liveness_probe" TEXT COLLATE "C",
ADD COLUMN     "pre_stop_seconds" INTEGER NOT NULL DEFAULT 5,
ADD COLUMN     "readiness_probe" TEXT COLLATE "C",
ADD COLUMN     "startup_probe" TEXT COLLATE "C",
ADD COLUMN     "termination_grace_period_seconds" INTEGER NOT NULL DEFAULT 30;
