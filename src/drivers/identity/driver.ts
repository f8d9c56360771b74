import { hash } from 'node:crypto';

export interface ProvidedIdentity {
  issuer: string;
  subject: string;
  /** The email address, if the provider says that it is verified. */
  email: string | undefined;
  /** The display name, as the provider has it. */
  name: string | undefined;
  /** Undefined if the provider has not said anything about groups. */
  groups: readonly string[] | undefined;
  /** Whether the groups make an administrator of the enterprise. Undefined if no group does. */
  isAdministrator: boolean | undefined;
  /** Identifies the session of the person at the provider. Undefined if the provider does not name it. */
  session: string | undefined;
  /** When the provider has said this, by its clock. */
  issuedAt: Date;
  /** Secret: with which the gateway asks whether the person may still use it. Undefined if the provider is not asked. */
  refreshToken: string | undefined;
}

/** The answer of the provider about somebody who has signed in before. `reason` is for the log, and has nothing secret. */
export type Refreshed = (
  | { outcome: 'confirmed'; identity: ProvidedIdentity }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'unknown'; reason: string }
) & {
  /** The token for the next time, if it is another one. */
  refreshToken?: string | undefined;
};

/** The identifier of a session at the provider, of any length, in 64 characters. */
export const providerSessionOf = (issuer: string, sid: string): string =>
  hash('sha256', JSON.stringify([issuer, sid]), 'hex');

/** The message of the provider that a person has signed out there. It has a subject, a session or both. */
export interface ProvidedLogout {
  issuer: string;
  subject: string | undefined;
  /** As in ProvidedIdentity. */
  session: string | undefined;
  /** When the provider has said this, by its clock. */
  issuedAt: Date;
  /** Identifies the message, so that it is accepted once. */
  uniqueId: string;
  /** When the message is refused as expired. */
  expiresAt: Date;
}

/** The values that the answer to a sign-in is compared with. Only the browser that began it has them. */
export interface SignInChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** Whether it was asked for nothing beyond the settings. */
  asConfigured: boolean;
}

/** The steps of a person at the provider that sign in a command line. */
export interface DeviceRequest {
  userCode: string;
  /** The page of the provider that asks for the code. */
  verificationUrl: string;
  /** The address of that page with the code filled in, if the provider has one. */
  completeUrl: string | undefined;
  expiresInSeconds: number;
  intervalSeconds: number;
  /** Secret: by which the gateway asks for the result. */
  deviceCode: string;
}

/**
 * Signs people in. Methods throw SignInRefusedError where the provider or its answer does not allow the sign-in, and
 * UnavailableError if the provider cannot be reached, or too many others wait for it. `client` is the network of who asks: those
 * of a network leave room to others.
 */
export interface IdentityProvider {
  /** The name for people. */
  readonly name: string;
  /**
   * The address of the provider for a new sign-in, with what its answer is compared with. `asConfigured` asks for nothing beyond
   * the settings.
   */
  begin(
    redirectUrl: string,
    client: string,
    options?: Partial<Pick<SignInChecks, 'asConfigured'>>,
  ): Promise<{ url: URL; checks: SignInChecks }>;
  /**
   * The identity for the address at which the provider's answer has arrived. Undefined if the sign-in has to begin again with
   * `asConfigured`, because the provider does not allow what the gateway has asked for beyond the settings. That counts for this
   * sign-in alone: whoever has begun one can bring such an answer.
   */
  finish(answer: URL, checks: SignInChecks, client: string): Promise<ProvidedIdentity | undefined>;
  /** Asks whether somebody may still use the gateway. Never rejects. */
  refresh(refreshToken: string, account: Pick<ProvidedIdentity, 'issuer' | 'subject'>): Promise<Refreshed>;
  /** Begins a sign-in on another device. Undefined if the provider does not support it. */
  beginDevice(client: string): Promise<DeviceRequest | undefined>;
  /** The identity, once the person has confirmed the code at the provider. Undefined until then. */
  finishDevice(deviceCode: string, client: string): Promise<ProvidedIdentity | undefined>;
  /** Reads a logout token. Throws LogoutRefusedError unless the provider has made it for this gateway. */
  readLogout(token: string): Promise<ProvidedLogout>;
}
