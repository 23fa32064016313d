import { isPrivateAddress } from '../../nodes/gateway/privateAddress';

describe('an address that only this machine or network reaches', () => {
  it.each([
    'http://localhost:5678', 'http://LOCALHOST.', 'http://n8n:5678', 'http://n8n.local', 'http://host.docker.internal', 'http://box.lan', 'http://app.localhost',
    'http://127.0.0.1', 'http://127.1', 'http://0.0.0.0', 'http://2130706433', 'http://10.1.2.3', 'http://192.168.0.9', 'http://172.16.0.1', 'http://172.31.255.1', 'http://169.254.1.1',
    'http://100.64.0.1', 'http://[::1]', 'http://[::]', 'http://[fd12::1]', 'http://[fe80::1]', 'http://[::ffff:127.0.0.1]:5678', 'http://[::ffff:192.168.1.1]', 'http://192.0.0.192', 'http://198.18.0.1', 'http://224.0.0.1', 'http://255.255.255.255',
    'http://[64:ff9b::a9fe:a9fe]', 'http://[::127.0.0.1]', 'http://[2002:7f00:1::]', 'http://[ff02::1]', 'http://a.localdomain',
  ])('%s', (link) => expect(isPrivateAddress(link)).toBe(true));
});

describe('an address that a gateway elsewhere may reach', () => {
  it.each([
    'https://n8n.example.com', 'https://example.com.', 'http://8.8.8.8', 'http://172.32.0.1', 'http://172.15.0.1', 'http://100.128.0.1', 'http://11.0.0.1', 'http://192.169.0.1', 'http://192.0.2.1', 'http://198.20.0.1', 'http://223.0.0.1', 'http://[2606:4700::1111]',
    'http://[2001:db8::1]', 'http://[::ffff:8.8.8.8]', 'https://local.example.com', 'https://10.example.com', 'https://fd.example.com', 'not a link',
  ])('%s', (link) => expect(isPrivateAddress(link)).toBe(false));
});
