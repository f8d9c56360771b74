-- AlterTable
ALTER TABLE "component_group" ADD COLUMN "sealed_template" TEXT;

-- AlterTable
ALTER TABLE "port" ADD COLUMN "additional_name" TEXT;

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_environment_variable" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "component_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "label" TEXT NOT NULL DEFAULT '',
    "value" TEXT,
    "is_secret" BOOLEAN NOT NULL DEFAULT false,
    "sealed_value" TEXT,
    "scope" TEXT NOT NULL,
    "is_changeable" BOOLEAN NOT NULL DEFAULT true,
    "port_number" INTEGER,
    CONSTRAINT "environment_variable_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_environment_variable" ("component_id", "id", "is_changeable", "label", "name", "port_number", "scope", "value") SELECT "component_id", "id", "is_changeable", "label", "name", "port_number", "scope", "value" FROM "environment_variable";
DROP TABLE "environment_variable";
ALTER TABLE "new_environment_variable" RENAME TO "environment_variable";
CREATE INDEX "environment_variable_component_id_name_id_idx" ON "environment_variable"("component_id", "name", "id");
CREATE UNIQUE INDEX "environment_variable_component_id_scope_name_key" ON "environment_variable"("component_id", "scope", "name");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

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
