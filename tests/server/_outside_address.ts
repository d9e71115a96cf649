/** An address of this machine at which a server does not see a loopback peer. Undefined where there is none. */
export const outsideAddress: string | undefined = Deno.networkInterfaces()
  .find(({ family, address }) => family === "IPv4" && !address.startsWith("127."))?.address;
