-- Plans are made once for all parents. With few teams, Postgres expects a third of the record to be that of each, and walks
-- backwards through the record of all for the latest events of one that has none.
ALTER TABLE "event" ALTER COLUMN "team_id" SET (n_distinct = 1000);
ALTER TABLE "event" ALTER COLUMN "application_id" SET (n_distinct = 1000);
ALTER TABLE "event" ALTER COLUMN "component_id" SET (n_distinct = 1000);
ALTER TABLE "event" ALTER COLUMN "user_id" SET (n_distinct = 1000);
ALTER TABLE "job" ALTER COLUMN "team_id" SET (n_distinct = 1000);
ALTER TABLE "job" ALTER COLUMN "application_id" SET (n_distinct = 1000);
ALTER TABLE "webhook_delivery" ALTER COLUMN "webhook_id" SET (n_distinct = 1000);
ANALYZE "event";
ANALYZE "job";
ANALYZE "webhook_delivery";
