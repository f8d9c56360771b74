-- AlterTable
ALTER TABLE "session" ADD COLUMN     "recheck_at" TIMESTAMP(3),
ADD COLUMN     "recheck_lease_until" TIMESTAMP(3),
ADD COLUMN     "sealed_refresh_token" TEXT COLLATE "C",
ADD COLUMN     "unconfirmed_since" TIMESTAMP(3);
