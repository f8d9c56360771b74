-- AlterTable
ALTER TABLE "volume" ADD COLUMN     "source" TEXT COLLATE "C";
