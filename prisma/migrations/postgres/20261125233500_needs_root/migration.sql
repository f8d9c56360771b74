-- AlterTable
ALTER TABLE "component" ADD COLUMN     "needs_root" BOOLEAN NOT NULL DEFAULT true;

-- AlterTable
ALTER TABLE "region" ADD COLUMN     "allows_root" BOOLEAN NOT NULL DEFAULT true;
