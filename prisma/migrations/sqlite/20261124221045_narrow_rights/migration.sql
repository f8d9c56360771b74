-- AlterTable
ALTER TABLE "event" ADD COLUMN "application_id" INTEGER;
ALTER TABLE "event" ADD COLUMN "component_id" TEXT;
ALTER TABLE "event" ADD COLUMN "service_account_id" TEXT;

-- AlterTable
ALTER TABLE "idempotency_key" ADD COLUMN "service_account_id" TEXT;

-- AlterTable
ALTER TABLE "job" ADD COLUMN "service_account_id" TEXT;

-- CreateTable
CREATE TABLE "role" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "enterprise_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "actions" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "role_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "service_account" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "enterprise_id" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "service_account_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "service_account_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_access_token" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "user_id" INTEGER,
    "service_account_id" TEXT,
    "name" TEXT NOT NULL,
    "grants" TEXT,
    "hash" TEXT NOT NULL,
    "is_read_only" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" DATETIME,
    "revoked_at" DATETIME,
    "last_used_at" DATETIME,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "access_token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "access_token_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "service_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_access_token" ("created_at", "expires_at", "hash", "id", "is_read_only", "last_used_at", "name", "revoked_at", "user_id") SELECT "created_at", "expires_at", "hash", "id", "is_read_only", "last_used_at", "name", "revoked_at", "user_id" FROM "access_token";
DROP TABLE "access_token";
ALTER TABLE "new_access_token" RENAME TO "access_token";
CREATE UNIQUE INDEX "access_token_hash_key" ON "access_token"("hash");
CREATE INDEX "access_token_user_id_created_at_id_idx" ON "access_token"("user_id", "created_at", "id");
CREATE INDEX "access_token_service_account_id_created_at_id_idx" ON "access_token"("service_account_id", "created_at", "id");
CREATE TABLE "new_membership" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "team_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "role_id" TEXT,
    "applications" TEXT,
    "joined_at" DATETIME NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "membership_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "membership_role_id_fkey" FOREIGN KEY ("role_id") REFERENCES "role" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_membership" ("id", "joined_at", "revision", "role", "team_id", "user_id") SELECT "id", "joined_at", "revision", "role", "team_id", "user_id" FROM "membership";
DROP TABLE "membership";
ALTER TABLE "new_membership" RENAME TO "membership";
CREATE INDEX "membership_user_id_team_id_idx" ON "membership"("user_id", "team_id");
CREATE INDEX "membership_role_id_idx" ON "membership"("role_id");
CREATE UNIQUE INDEX "membership_team_id_user_id_key" ON "membership"("team_id", "user_id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE UNIQUE INDEX "role_enterprise_id_name_key" ON "role"("enterprise_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "service_account_team_id_name_key" ON "service_account"("team_id", "name");

-- CreateIndex
CREATE INDEX "event_application_id_id_idx" ON "event"("application_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_key_service_account_id_created_at_ms_stored_bytes_idx" ON "idempotency_key"("service_account_id", "created_at_ms", "stored_bytes");
