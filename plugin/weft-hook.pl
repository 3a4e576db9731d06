# Passes a hook to the project's resident weft: weft-hook.pl NODE PROGRAM [--home FOLDER] hook AGENT. If the resident does not
# answer, becomes that command, which answers by itself and starts a resident.
my @command = @ARGV;
my $max_silent_seconds = 2;
require(($0 =~ m{^(.*/)} ? $1 : "./") . "weft-socket.pl");

binmode STDIN;
binmode STDOUT;
my $input = do { local $/; <STDIN> };
$input = "" unless defined $input;

my $answer = ask();
if (defined $answer) {
	print $answer;
	exit 0;
}
run_command();

# The answer for standard output; undef: there is none.
sub ask {
	my $name = socket_name(".");
	my $home = data_home(@command);
	my $stream = connect_resident($name, $home) or return undef;
	my $reply = eval {
		local $SIG{ALRM} = sub { die };
		local $SIG{PIPE} = "IGNORE";
		alarm $max_silent_seconds;
		my $got = exchange($stream);
		alarm 0;
		$got;
	};
	alarm 0;
	if (!defined $reply) {
		# It is silent: hooks pass it by until it works again.
		mark_hung($name, $home) if $@;
		return undef;
	}
	# It says first, more than once, that it works on the answer.
	$reply =~ s{\A(?:HTTP/1\.1 102 [^\r]*\r\n\r\n)+}{};
	my ($head, $body) = split /\r\n\r\n/, $reply, 2;
	return undef unless defined $body && $head =~ m{^HTTP/1\.1 200 } && $head =~ /\r\ncontent-length: *(\d+)/i;
	# A resident that died gives no whole answer.
	return length($body) == $1 ? $body : undef;
}

sub exchange {
	my ($stream) = @_;
	my $body = request_of($input, @command[ 1 .. $#command ]);
	my $bytes = length $body;
	my $request = "POST /hook HTTP/1.1\r\nHost: weft\r\nContent-Length: $bytes\r\nConnection: close\r\n\r\n$body";
	for (my $sent = 0 ; $sent < length $request ;) {
		my $wrote = syswrite($stream, $request, 1 << 18, $sent);
		return undef unless defined $wrote;
		$sent += $wrote;
	}
	my $reply = "";
	while (my $got = sysread($stream, $reply, 1 << 18, length $reply)) {
		alarm $max_silent_seconds;
	}
	return $reply;
}

# With the message on its standard input again.
sub run_command {
	open(my $file, "+>", undef) or exit 0;
	binmode $file;
	print $file $input;
	$| = 1;
	seek($file, 0, 0) or exit 0;
	open(STDIN, "<&", $file) or exit 0;
	exec { $command[0] } @command;
	exit 0;
}
