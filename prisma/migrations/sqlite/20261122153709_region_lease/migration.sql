-- CreateTable
CREATE TABLE "region_lease" (
    "region_id" TEXT NOT NULL PRIMARY KEY,
    "owner" TEXT NOT NULL,
    "until" DATETIME NOT NULL,
    CONSTRAINT "region_lease_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
