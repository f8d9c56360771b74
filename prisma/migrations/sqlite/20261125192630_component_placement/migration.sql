-- AlterTable
ALTER TABLE "component" ADD COLUMN "placement" TEXT;
