-- CreateTable
CREATE TABLE "store_connection" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "team_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "sealed_access_key" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    CONSTRAINT "store_connection_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "upgrade_record" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "application_id" INTEGER NOT NULL,
    "group_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "template_id" TEXT NOT NULL,
    "from_version" TEXT NOT NULL,
    "to_version" TEXT NOT NULL,
    "changes" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    CONSTRAINT "upgrade_record_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "upgrade_record_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "component_group" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "upgrade_record_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "published_template" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "enterprise_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "logo" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    "folded" TEXT NOT NULL,
    CONSTRAINT "published_template_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "published_version" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "template_id" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "template" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    CONSTRAINT "published_version_template_id_fkey" FOREIGN KEY ("template_id") REFERENCES "published_template" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_component_group" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "application_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "template_id" TEXT,
    "template_version" TEXT,
    "template" TEXT,
    "store_id" INTEGER,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "component_group_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "component_group_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store_connection" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_component_group" ("application_id", "created_at", "id", "name", "template_id", "template_version") SELECT "application_id", "created_at", "id", "name", "template_id", "template_version" FROM "component_group";
DROP TABLE "component_group";
ALTER TABLE "new_component_group" RENAME TO "component_group";
CREATE INDEX "component_group_application_id_id_idx" ON "component_group"("application_id", "id");
CREATE INDEX "component_group_store_id_idx" ON "component_group"("store_id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE UNIQUE INDEX "store_connection_team_id_url_domain_key" ON "store_connection"("team_id", "url", "domain");

-- CreateIndex
CREATE INDEX "upgrade_record_application_id_id_idx" ON "upgrade_record"("application_id", "id");

-- CreateIndex
CREATE INDEX "upgrade_record_group_id_idx" ON "upgrade_record"("group_id");

-- CreateIndex
CREATE INDEX "upgrade_record_user_id_idx" ON "upgrade_record"("user_id");

-- CreateIndex
CREATE INDEX "published_template_enterprise_id_name_id_idx" ON "published_template"("enterprise_id", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "published_template_enterprise_id_key_key" ON "published_template"("enterprise_id", "key");

-- CreateIndex
CREATE INDEX "published_version_template_id_created_at_id_idx" ON "published_version"("template_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "published_version_template_id_version_key" ON "published_version"("template_id", "version");
