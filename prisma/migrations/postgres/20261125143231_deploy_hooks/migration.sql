-- AlterTable
ALTER TABLE "event" ADD COLUMN     "deploy_hook_id" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "deploy_hook" (
    "id" TEXT COLLATE "C" NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "user_id" INTEGER,
    "service_account_id" TEXT COLLATE "C",
    "last_used_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "deploy_hook_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "deploy_hook_component_id_created_at_id_idx" ON "deploy_hook"("component_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "deploy_hook_user_id_idx" ON "deploy_hook"("user_id");

-- AddForeignKey
ALTER TABLE "deploy_hook" ADD CONSTRAINT "deploy_hook_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deploy_hook" ADD CONSTRAINT "deploy_hook_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;
