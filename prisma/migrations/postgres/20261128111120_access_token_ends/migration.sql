-- CreateIndex
CREATE INDEX "access_token_expires_at_idx" ON "access_token"("expires_at");

-- CreateIndex
CREATE INDEX "access_token_revoked_at_idx" ON "access_token"("revoked_at");
