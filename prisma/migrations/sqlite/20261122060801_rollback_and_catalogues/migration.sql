-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_published_template" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "enterprise_id" TEXT NOT NULL,
    "team_id" TEXT,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "logo" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    "folded" TEXT NOT NULL,
    CONSTRAINT "published_template_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "published_template_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_published_template" ("created_at", "description", "enterprise_id", "folded", "id", "key", "logo", "name", "updated_at") SELECT "created_at", "description", "enterprise_id", "folded", "id", "key", "logo", "name", "updated_at" FROM "published_template";
DROP TABLE "published_template";
ALTER TABLE "new_published_template" RENAME TO "published_template";
CREATE INDEX "published_template_enterprise_id_name_id_idx" ON "published_template"("enterprise_id", "name", "id");
CREATE INDEX "published_template_team_id_name_id_idx" ON "published_template"("team_id", "name", "id");
CREATE UNIQUE INDEX "published_template_enterprise_id_key_key" ON "published_template"("enterprise_id", "key");
CREATE TABLE "new_published_version" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "template_id" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "template" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "required_variables" TEXT NOT NULL DEFAULT '[]',
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    CONSTRAINT "published_version_template_id_fkey" FOREIGN KEY ("template_id") REFERENCES "published_template" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_published_version" ("alias", "created_at", "description", "id", "is_enabled", "revision", "template", "template_id", "updated_at", "version") SELECT "alias", "created_at", "description", "id", "is_enabled", "revision", "template", "template_id", "updated_at", "version" FROM "published_version";
DROP TABLE "published_version";
ALTER TABLE "new_published_version" RENAME TO "published_version";
CREATE INDEX "published_version_template_id_created_at_id_idx" ON "published_version"("template_id", "created_at", "id");
CREATE UNIQUE INDEX "published_version_template_id_version_key" ON "published_version"("template_id", "version");
CREATE TABLE "new_upgrade_record" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "application_id" INTEGER NOT NULL,
    "group_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "template_id" TEXT NOT NULL,
    "from_version" TEXT NOT NULL,
    "to_version" TEXT NOT NULL,
    "changes" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'upgrade',
    "sealed_from_template" TEXT,
    "rollback_id" INTEGER,
    CONSTRAINT "upgrade_record_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "upgrade_record_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "component_group" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "upgrade_record_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "upgrade_record_rollback_id_fkey" FOREIGN KEY ("rollback_id") REFERENCES "upgrade_record" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);
INSERT INTO "new_upgrade_record" ("application_id", "at", "changes", "from_version", "group_id", "id", "template_id", "to_version", "user_id") SELECT "application_id", "at", "changes", "from_version", "group_id", "id", "template_id", "to_version", "user_id" FROM "upgrade_record";
DROP TABLE "upgrade_record";
ALTER TABLE "new_upgrade_record" RENAME TO "upgrade_record";
CREATE INDEX "upgrade_record_application_id_id_idx" ON "upgrade_record"("application_id", "id");
CREATE INDEX "upgrade_record_group_id_idx" ON "upgrade_record"("group_id");
CREATE INDEX "upgrade_record_user_id_idx" ON "upgrade_record"("user_id");
CREATE INDEX "upgrade_record_rollback_id_idx" ON "upgrade_record"("rollback_id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
