-- AlterTable
ALTER TABLE "identity" ADD COLUMN     "groups_confirmed_at" TIMESTAMP(3);

-- CreateIndex
CREATE INDEX "identity_groups_confirmed_at_idx" ON "identity"("groups_confirmed_at");
