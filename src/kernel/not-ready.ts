/** Why a gateway must not serve requests. The message is part of the response of its readiness probe. */
export class NotReadyError extends Error {
  override name = 'NotReadyError';
}
