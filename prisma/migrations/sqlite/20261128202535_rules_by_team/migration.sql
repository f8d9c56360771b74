-- AlterTable
ALTER TABLE "http_rule" ADD COLUMN "team_id" TEXT NOT NULL DEFAULT '';
ALTER TABLE "tcp_rule" ADD COLUMN "team_id" TEXT NOT NULL DEFAULT '';

UPDATE "http_rule" SET "team_id" = (SELECT "team_id" FROM "component" WHERE "component"."id" = "http_rule"."component_id");
UPDATE "tcp_rule" SET "team_id" = (SELECT "team_id" FROM "component" WHERE "component"."id" = "tcp_rule"."component_id");

-- CreateIndex
CREATE INDEX "http_rule_team_id_domain_id_is_published_certificate_id_idx" ON "http_rule"("team_id", "domain", "id", "is_published", "certificate_id");
CREATE INDEX "tcp_rule_team_id_address_port_number_id_is_published_idx" ON "tcp_rule"("team_id", "address", "port_number", "id", "is_published");
