-- DropIndex
DROP INDEX "application_region_id_idx";

-- CreateIndex
CREATE INDEX "application_region_id_order_index_name_id_idx" ON "application"("region_id", "order_index", "name", "id");
