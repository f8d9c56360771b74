-- AlterTable
ALTER TABLE "component_release" ADD COLUMN     "digest" TEXT COLLATE "C",
ADD COLUMN     "resolved_at" TIMESTAMP(3);

-- AlterTable
ALTER TABLE "deployment" ADD COLUMN     "digest" TEXT COLLATE "C",
ADD COLUMN     "image" TEXT COLLATE "C",
ADD COLUMN     "is_pinned" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "pulls_always" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "resolved_at" TIMESTAMP(3);

-- AlterTable
ALTER TABLE "job" ADD COLUMN     "outcome" TEXT COLLATE "C" NOT NULL DEFAULT 'changed';

-- AlterTable
ALTER TABLE "job_component" ADD COLUMN     "digest" TEXT COLLATE "C",
ADD COLUMN     "note" TEXT COLLATE "C",
ADD COLUMN     "outcome" TEXT COLLATE "C" NOT NULL DEFAULT 'changed';
