-- AlterTable
ALTER TABLE "component_group" ADD COLUMN     "sealed_template" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "environment_variable" ADD COLUMN     "is_secret" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "sealed_value" TEXT COLLATE "C",
ALTER COLUMN "value" DROP NOT NULL;

-- AlterTable
ALTER TABLE "port" ADD COLUMN     "additional_name" TEXT COLLATE "C";

-- CreateIndex
CREATE INDEX "port_additional_name_idx" ON "port"("additional_name");

-- Variables whose names say that they are secret. The next start encrypts their values.
UPDATE "environment_variable" SET "is_secret" = true
WHERE upper("name") LIKE '%PASSWORD%'
   OR upper("name") LIKE '%SECRET%'
   OR upper("name") LIKE '%TOKEN%'
   OR upper("name") LIKE '%PRIVATE!_KEY%' ESCAPE '!'
   OR upper("name") LIKE '%ACCESS!_KEY%' ESCAPE '!';

-- Connection variables of ports are derived when they are read. Stored ones that repeat what is derived go, and so
-- do those of installed components that name a component that is not there.
DELETE FROM "environment_variable"
WHERE "scope" = 'connection' AND EXISTS (
  SELECT 1 FROM "port" p JOIN "component" c ON c."id" = p."component_id"
  WHERE p."component_id" = "environment_variable"."component_id" AND (
    ("environment_variable"."name" = p."alias" || '_PORT' AND "environment_variable"."value" = CAST(p."number" AS TEXT))
    OR ("environment_variable"."name" = p."alias" || '_HOST' AND (
      "environment_variable"."value" = c."service_name"
      OR (c."group_id" IS NOT NULL
        AND "environment_variable"."value" NOT LIKE '%.%'
        AND "environment_variable"."value" <> 'localhost'
        AND NOT EXISTS (
          SELECT 1 FROM "component" o
          WHERE o."team_id" = c."team_id" AND o."region_id" = c."region_id"
            AND o."service_name" = "environment_variable"."value"))))));
