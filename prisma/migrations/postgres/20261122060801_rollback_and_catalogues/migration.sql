-- AlterTable
ALTER TABLE "published_template" ADD COLUMN     "team_id" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "published_version" ADD COLUMN     "required_variables" TEXT COLLATE "C" NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "upgrade_record" ADD COLUMN     "kind" TEXT COLLATE "C" NOT NULL DEFAULT 'upgrade',
ADD COLUMN     "rollback_id" INTEGER,
ADD COLUMN     "sealed_from_template" TEXT COLLATE "C";

-- CreateIndex
CREATE INDEX "published_template_team_id_name_id_idx" ON "published_template"("team_id", "name", "id");

-- CreateIndex
CREATE INDEX "upgrade_record_rollback_id_idx" ON "upgrade_record"("rollback_id");

-- AddForeignKey
ALTER TABLE "upgrade_record" ADD CONSTRAINT "upgrade_record_rollback_id_fkey" FOREIGN KEY ("rollback_id") REFERENCES "upgrade_record"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "published_template" ADD CONSTRAINT "published_template_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
