/** The account of a person at the identity provider. */
export interface ProvidedIdentity {
  issuer: string;
  subject: string;
  /** The email address, if the provider says that it is verified. */
  email: string | undefined;
  /** The display name, as the provider has it. */
  name: string | undefined;
  groups: readonly string[];
  /** Whether the groups make an administrator of the enterprise. Undefined if no group does. */
  isAdministrator: boolean | undefined;
}

/** What the answer to a sign-in is compared with. Only the browser that began it has this. */
export interface SignInChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** What a person does at the provider so that a command line is signed in. */
export interface DeviceRequest {
  userCode: string;
  /** The page of the provider that asks for the code. */
  verificationUrl: string;
  /** The same page with the code filled in, if the provider has one. */
  completeUrl: string | undefined;
  expiresInSeconds: number;
  intervalSeconds: number;
  /** Secret: by which the gateway asks for the result. */
  deviceCode: string;
}

/**
 * Signs people in. Methods throw SignInRefusedError where the provider or its answer does not allow the sign-in, and
 * UnavailableError if the provider cannot be reached.
 */
export interface IdentityProvider {
  /** The name for people. */
  readonly name: string;
  /** The address of the provider for a new sign-in, with what its answer is compared with. */
  begin(redirectUrl: string): Promise<{ url: URL; checks: SignInChecks }>;
  /** The identity for the address at which the provider's answer has arrived. */
  finish(answer: URL, checks: SignInChecks): Promise<ProvidedIdentity>;
  /** Begins a sign-in on another device. Undefined if the provider does not support it. */
  beginDevice(): Promise<DeviceRequest | undefined>;
  /** The identity, once the person has confirmed the code at the provider. Undefined until then. */
  finishDevice(deviceCode: string): Promise<ProvidedIdentity | undefined>;
}
