-- AlterTable
ALTER TABLE "volume" ADD COLUMN "is_shared" BOOLEAN NOT NULL DEFAULT false;
