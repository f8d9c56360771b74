-- AlterTable
ALTER TABLE "event" ADD COLUMN "session_id" TEXT;

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "user_id" INTEGER NOT NULL,
    "created_at" DATETIME NOT NULL,
    "last_used_at" DATETIME NOT NULL,
    "expires_at" DATETIME NOT NULL,
    "address" TEXT NOT NULL,
    "browser" TEXT NOT NULL,
    CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "identity" (
    "user_id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "linked_at" DATETIME NOT NULL,
    "grants_administration" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "group_role" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "team_id" TEXT NOT NULL,
    "group_name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "group_role_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_membership" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "team_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "role_id" TEXT,
    "applications" TEXT,
    "joined_at" DATETIME NOT NULL,
    "is_from_group" BOOLEAN NOT NULL DEFAULT false,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "membership_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "membership_role_id_fkey" FOREIGN KEY ("role_id") REFERENCES "role" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_membership" ("applications", "id", "joined_at", "revision", "role", "role_id", "team_id", "user_id") SELECT "applications", "id", "joined_at", "revision", "role", "role_id", "team_id", "user_id" FROM "membership";
DROP TABLE "membership";
ALTER TABLE "new_membership" RENAME TO "membership";
CREATE INDEX "membership_user_id_team_id_idx" ON "membership"("user_id", "team_id");
CREATE INDEX "membership_role_id_idx" ON "membership"("role_id");
CREATE UNIQUE INDEX "membership_team_id_user_id_key" ON "membership"("team_id", "user_id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "session_user_id_created_at_id_idx" ON "session"("user_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "identity_issuer_subject_key" ON "identity"("issuer", "subject");

-- CreateIndex
CREATE INDEX "group_role_group_name_idx" ON "group_role"("group_name");

-- CreateIndex
CREATE UNIQUE INDEX "group_role_team_id_group_name_key" ON "group_role"("team_id", "group_name");
