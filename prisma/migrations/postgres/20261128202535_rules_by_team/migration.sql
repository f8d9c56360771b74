-- AlterTable
ALTER TABLE "http_rule" ADD COLUMN "team_id" TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE "tcp_rule" ADD COLUMN "team_id" TEXT COLLATE "C" NOT NULL DEFAULT '';

UPDATE "http_rule" AS "r" SET "team_id" = "c"."team_id" FROM "component" AS "c" WHERE "c"."id" = "r"."component_id";
UPDATE "tcp_rule" AS "r" SET "team_id" = "c"."team_id" FROM "component" AS "c" WHERE "c"."id" = "r"."component_id";

-- CreateIndex
CREATE INDEX "http_rule_team_id_domain_id_is_published_certificate_id_idx" ON "http_rule"("team_id", "domain", "id", "is_published", "certificate_id");
CREATE INDEX "tcp_rule_team_id_address_port_number_id_is_published_idx" ON "tcp_rule"("team_id", "address", "port_number", "id", "is_published");

-- With few teams, a plan for all of them would read and sort all rules.
ALTER TABLE "http_rule" ALTER COLUMN "team_id" SET (n_distinct = 1000);
ALTER TABLE "tcp_rule" ALTER COLUMN "team_id" SET (n_distinct = 1000);
ANALYZE "http_rule";
ANALYZE "tcp_rule";
