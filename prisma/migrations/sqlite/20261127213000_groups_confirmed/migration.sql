-- AlterTable
ALTER TABLE "identity" ADD COLUMN "groups_confirmed_at" DATETIME;

-- CreateIndex
CREATE INDEX "identity_groups_confirmed_at_idx" ON "identity"("groups_confirmed_at");
