-- AlterTable
ALTER TABLE "component_group" ADD COLUMN     "store_id" INTEGER,
ADD COLUMN     "template" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "store_connection" (
    "id" SERIAL NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "url" TEXT COLLATE "C" NOT NULL,
    "domain" TEXT COLLATE "C" NOT NULL,
    "sealed_access_key" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "store_connection_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upgrade_record" (
    "id" SERIAL NOT NULL,
    "application_id" INTEGER NOT NULL,
    "group_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "template_id" TEXT COLLATE "C" NOT NULL,
    "from_version" TEXT COLLATE "C" NOT NULL,
    "to_version" TEXT COLLATE "C" NOT NULL,
    "changes" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "upgrade_record_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "published_template" (
    "id" SERIAL NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "description" TEXT COLLATE "C" NOT NULL,
    "logo" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,
    "folded" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "published_template_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "published_version" (
    "id" SERIAL NOT NULL,
    "template_id" INTEGER NOT NULL,
    "version" TEXT COLLATE "C" NOT NULL,
    "alias" TEXT COLLATE "C" NOT NULL,
    "description" TEXT COLLATE "C" NOT NULL,
    "template" TEXT COLLATE "C" NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "published_version_pkey" PRIMARY KEY ("id")
);

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

-- CreateIndex
CREATE INDEX "component_group_store_id_idx" ON "component_group"("store_id");

-- AddForeignKey
ALTER TABLE "component_group" ADD CONSTRAINT "component_group_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store_connection"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "store_connection" ADD CONSTRAINT "store_connection_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upgrade_record" ADD CONSTRAINT "upgrade_record_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upgrade_record" ADD CONSTRAINT "upgrade_record_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "component_group"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upgrade_record" ADD CONSTRAINT "upgrade_record_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "published_template" ADD CONSTRAINT "published_template_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "published_version" ADD CONSTRAINT "published_version_template_id_fkey" FOREIGN KEY ("template_id") REFERENCES "published_template"("id") ON DELETE CASCADE ON UPDATE CASCADE;
