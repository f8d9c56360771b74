-- AlterTable
ALTER TABLE "region" ADD COLUMN     "sealed_logs_credentials" TEXT COLLATE "C",
ADD COLUMN     "sealed_metrics_credentials" TEXT COLLATE "C";
