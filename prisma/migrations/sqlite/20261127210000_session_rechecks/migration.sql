-- AlterTable
ALTER TABLE "session" ADD COLUMN "recheck_at" DATETIME;
ALTER TABLE "session" ADD COLUMN "recheck_lease_until" DATETIME;
ALTER TABLE "session" ADD COLUMN "sealed_refresh_token" TEXT;
ALTER TABLE "session" ADD COLUMN "unconfirmed_since" DATETIME;
