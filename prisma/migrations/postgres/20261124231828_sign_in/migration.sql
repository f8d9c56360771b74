-- AlterTable
ALTER TABLE "event" ADD COLUMN     "session_id" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "membership" ADD COLUMN     "is_from_group" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT COLLATE "C" NOT NULL,
    "user_id" INTEGER NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "last_used_at" TIMESTAMP(3) NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "browser" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "identity" (
    "user_id" INTEGER NOT NULL,
    "issuer" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT COLLATE "C" NOT NULL,
    "linked_at" TIMESTAMP(3) NOT NULL,
    "grants_administration" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "identity_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "group_role" (
    "id" TEXT COLLATE "C" NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "group_name" TEXT COLLATE "C" NOT NULL,
    "role" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "group_role_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "session_user_id_created_at_id_idx" ON "session"("user_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "identity_issuer_subject_key" ON "identity"("issuer", "subject");

-- CreateIndex
CREATE INDEX "group_role_group_name_idx" ON "group_role"("group_name");

-- CreateIndex
CREATE UNIQUE INDEX "group_role_team_id_group_name_key" ON "group_role"("team_id", "group_name");

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identity" ADD CONSTRAINT "identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_role" ADD CONSTRAINT "group_role_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;
