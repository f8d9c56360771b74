-- AlterTable
ALTER TABLE "region" ADD COLUMN     "cluster" TEXT COLLATE "C" NOT NULL DEFAULT '{}';
