-- AlterTable
ALTER TABLE "enterprise" ADD COLUMN "sealed_key_check" TEXT;
