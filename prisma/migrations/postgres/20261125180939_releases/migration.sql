-- CreateTable
CREATE TABLE "component_release" (
    "id" SERIAL NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "image" TEXT COLLATE "C" NOT NULL,
    "version" TEXT COLLATE "C" NOT NULL,
    "sealed_spec" TEXT COLLATE "C" NOT NULL,
    "restored_number" INTEGER,
    "promoted_id" INTEGER,
    "job_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "service_account_id" TEXT COLLATE "C",
    "deploy_hook_id" TEXT COLLATE "C",
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "component_release_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "component_release_user_id_idx" ON "component_release"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "component_release_component_id_number_key" ON "component_release"("component_id", "number");

-- AddForeignKey
ALTER TABLE "component_release" ADD CONSTRAINT "component_release_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component_release" ADD CONSTRAINT "component_release_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;
