-- AlterTable
ALTER TABLE "http_rule" ADD COLUMN     "was_default" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "tcp_rule" ADD COLUMN     "mapped_ip" TEXT COLLATE "C",
ADD COLUMN     "mapped_port" INTEGER,
ADD COLUMN     "was_default" BOOLEAN NOT NULL DEFAULT false;
