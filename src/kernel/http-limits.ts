/** What clients may ask of the HTTP server, all of them together and each. */
export interface HttpLimits {
  /** Requests under way at once; beyond it they are UNAVAILABLE. */
  maxRequests: number;
}

export const httpLimits: HttpLimits = {
  maxRequests: 500,
};
