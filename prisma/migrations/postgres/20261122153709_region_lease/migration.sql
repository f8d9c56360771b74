-- CreateTable
CREATE TABLE "region_lease" (
    "region_id" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT COLLATE "C" NOT NULL,
    "until" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "region_lease_pkey" PRIMARY KEY ("region_id")
);

-- AddForeignKey
ALTER TABLE "region_lease" ADD CONSTRAINT "region_lease_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region"("id") ON DELETE CASCADE ON UPDATE CASCADE;
